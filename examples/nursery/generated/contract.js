// Generated from openapi.yaml by `npm run generate`. Do not edit.
'use strict';
exports.file = "openapi.yaml";
exports.sha256 = "06bcadd65df04f42e271bfffa15b942008a780f234b6e1131e449d5544328dbc";
exports.errors = {
};
