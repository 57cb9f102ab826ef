// A contract of several files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES = {
  'examples.yaml': `one/or/two:
  value:
    - kind: cat
      id: 9007199254740991
      name: Tom
`,
  'openapi.yaml': `openapi: 3.0.3
info:
  title: Animals
  version: 1.0.0
servers:
  - url: /
paths:
  /animals:
    $ref: paths/animals.yaml
  /animals/{id}:
    $ref: paths/animal.yaml
  /tills:
    get:
      operationId: listTills
      security: []
      responses:
        '200':
          $ref: 'responses.json#/Tills'
        default:
          $ref: 'responses.json#/Problem'
components:
  schemas:
    Id:
      type: integer
      format: int64
      example: 9007199254740993
    Animal:
      $ref: schemas/animal.yaml
`,
  'parameters.yaml': `limit:
  name: limit
  in: query
  schema:
    type: integer
    maximum: 100
id:
  name: id
  in: path
  required: true
  schema:
    $ref: openapi.yaml#/components/schemas/Id
`,
  'paths/animal.yaml': `parameters:
  - $ref: ../parameters.yaml#/id
get:
  operationId: getAnimal
  security: []
  responses:
    '200':
      description: The shelter of an animal.
      content:
        application/json:
          schema:
            $ref: ../schemas/shelter/place.yaml
    default:
      $ref: ../responses.json#/Problem
`,
  'paths/animals.yaml': `get:
  operationId: listAnimals
  security: []
  parameters:
    - $ref: ../parameters.yaml#/limit
  responses:
    '200':
      description: Some animals.
      content:
        application/json:
          schema:
            type: array
            items:
              $ref: ../schemas/animal.yaml
          examples:
            one:
              $ref: ../examples.yaml#/one~1or~1two
    default:
      $ref: ../responses.json#/Problem
post:
  operationId: addAnimal
  security: []
  requestBody:
    required: true
    content:
      application/json:
        schema:
          $ref: ../schemas/animal.yaml
  responses:
    '200':
      description: The animal.
      content:
        application/json:
          schema:
            $ref: ../openapi.yaml#/components/schemas/Animal
    default:
      $ref: ../responses.json#/Problem
`,
  'responses.json': `{
  "Problem": {
    "description": "What went wrong.",
    "content": {
      "application/problem+json": {
        "schema": {
          "type": "object",
          "required": ["title", "status"],
          "properties": {
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string" },
            "type": { "type": "string" }
          }
        }
      }
    }
  },
  "Tills": {
    "description": "The tills of the shop.",
    "content": {
      "application/json": {
        "schema": { "type": "array", "items": { "$ref": "schemas/shop/place.yaml" } }
      }
    }
  }
}
`,
  'schemas/animal.yaml': `oneOf:
  - $ref: cat.yaml
  - $ref: dog.yaml#/Dog
discriminator:
  propertyName: kind
  mapping:
    cat: cat.yaml
    dog: ./dog.yaml#/Dog
`,
  'schemas/cat.yaml': `type: object
required: [kind, name]
properties:
  kind:
    type: string
  id:
    $ref: ../openapi.yaml#/components/schemas/Id
  name:
    type: string
  enemy:
    $ref: dog.yaml#/Dog
`,
  'schemas/dog.yaml': `Dog:
  type: object
  required: [kind]
  properties:
    kind:
      type: string
    friends:
      type: array
      items:
        $ref: animal.yaml
    breed:
      $ref: '#/Breed'
Breed:
  type: string
  enum: [pug, poodle]
`,
  'schemas/shelter/place.yaml': `type: object
required: [address]
properties:
  address:
    type: string
  animals:
    type: array
    items:
      $ref: ../animal.yaml
`,
  'schemas/shop/place.yaml': `type: object
required: [till]
properties:
  till:
    type: integer
`,
};

/** Writes it into a folder. @returns the path of the contract */
export function writeSeveralFiles(folder: string): string {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return join(folder, 'openapi.yaml');
}
