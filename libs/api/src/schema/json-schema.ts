/** A JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 uses; AsyncAPI 3 reads the same keywords. */
export type Schema = Record<string, unknown>
