/** What `cloudflare:workers` gives the tests of this suite: the Worker's own bindings and its main module. */
import type { Env as WorkerEnv } from "../../adapters/env/bindings.ts";

declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv {}
    interface GlobalProps {
      mainModule: typeof import("../../workers/index.ts");
    }
  }
}
