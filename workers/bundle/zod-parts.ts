/** The parts of zod's classic interface. Its package opens no path to them, so they are named by their files. */
export { toJSONSchema } from "../../node_modules/zod/v4/core/json-schema-processors.js";
export {
  $brand,
  $input,
  $output,
  clone,
  config,
  flattenError,
  formatError,
  getDiscriminatedOption,
  globalRegistry,
  memoizer,
  NEVER,
  prettifyError,
  regexes,
  registry,
  TimePrecision,
  treeifyError,
  util,
} from "../../node_modules/zod/v4/core/index.js";
export * from "../../node_modules/zod/v4/classic/checks.js";
export * from "../../node_modules/zod/v4/classic/compat.js";
export * from "../../node_modules/zod/v4/classic/errors.js";
export * from "../../node_modules/zod/v4/classic/parse.js";
export * from "../../node_modules/zod/v4/classic/schemas.js";
export * as coerce from "../../node_modules/zod/v4/classic/coerce.js";
export * as iso from "../../node_modules/zod/v4/classic/iso.js";
export { ZodISODate, ZodISODateTime, ZodISODuration, ZodISOTime } from "../../node_modules/zod/v4/classic/iso.js";
