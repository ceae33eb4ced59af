/** The object that owns the sidecar's container. It stores nothing and forwards every request to the container. */
import { DurableObject } from "cloudflare:workers";
import { containerFromEnv } from "../../adapters/env/sidecar.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { SidecarRpc } from "../../core/ports/sidecar.ts";

export class SidecarObject extends DurableObject<Env> implements SidecarRpc {
  private readonly container = containerFromEnv(this.env, this.ctx.container);

  override fetch(request: Request): Promise<Response> {
    return this.container.fetch(request);
  }

  async isAsleep(): Promise<boolean> {
    return this.container.isAsleep;
  }
}
