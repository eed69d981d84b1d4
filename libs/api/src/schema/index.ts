/** The messages of the contract as JSON Schema, for the documents that are generated from it. */
export { type Comments, protoComments } from './comments.ts'
export { createSchemas, type Schema, type Schemas } from './schema.ts'
