// Generated from openapi.yaml by `npm run generate`. Do not edit.
'use strict';
exports.file = "openapi.yaml";
exports.sha256 = "3ef7d752832a9f7a13c07b9971ce898f97f47a5a186c223d248bb717bdb5d707";
exports.errors = {
};
