// Generated from openapi.yaml by `npm run generate`. Do not edit.
'use strict';
exports.file = "openapi.yaml";
exports.sha256 = "e57788a06d4befaf150a97996208d3e1fc9658ce63c9a293dd8eca75b70ba239";
