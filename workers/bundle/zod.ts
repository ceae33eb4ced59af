/**
 * What `zod` stands for in the bundle (`[alias]` in wrangler.toml): all of it but its messages in fifty languages, which are
 * 55 KiB of gzip that nothing here asks for. A library hands the whole namespace around, so the bundler cannot see that.
 */
import * as z from "./zod-parts.ts";

export * from "./zod-parts.ts";
export { z, z as default };
