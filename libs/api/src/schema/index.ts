/** The messages of the contract as JSON Schema, for the documents that are generated from it. */
export { type Comments, protoComments } from './comments.ts'
export type { Schema } from './json-schema.ts'
export { createSchemas, type Schemas } from './schema.ts'
