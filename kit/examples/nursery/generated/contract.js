// Generated from openapi.yaml by `npm run generate`. Do not edit.
'use strict';
exports.file = "openapi.yaml";
exports.sha256 = "206b58e738c55cc4cb8e1f6c857077dfcb5bdf08264f8101152b99d287097127";
