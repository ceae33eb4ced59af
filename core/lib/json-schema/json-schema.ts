/** A JSON Schema, as the tenant or the server wrote it. */
export type JsonSchema = Readonly<Record<string, unknown>>;
