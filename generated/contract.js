// Generated from openapi.yaml by `npm run generate`. Do not edit.
'use strict';
exports.file = "openapi.yaml";
exports.sha256 = "2accaa38bee98d86eb837d115e634dc0e64d5fb3f08933dfc4622edcf7db1c7e";
