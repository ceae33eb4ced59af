import type { ImportOptions } from "../../../core/openapi/import.ts";

/** An import of a whole API document, without a base URL of its own. */
export const IMPORT_OPTIONS: ImportOptions = {
  name: "api",
  url: null,
  baseUrl: null,
  auth: {},
  include: [],
  readSecurity: "safe",
  security: "dangerous",
};
