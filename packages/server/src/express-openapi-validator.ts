/**
 * The validator of a service: express-openapi-validator (EOV), as validate/eov/README.md says.
 *
 * @example app.use(await serveContract({ ...parts, validator: expressOpenapiValidator }))
 */
export { expressOpenapiValidator } from './validate/eov/eov';
