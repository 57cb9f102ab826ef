/**
 * The validator of a service: express-openapi-validator (EOV), as contract/eov/README.md says.
 *
 * @example app.use(await serveContract({ ...parts, validator: expressOpenapiValidator }))
 */
export { expressOpenapiValidator } from './contract/eov/eov';
