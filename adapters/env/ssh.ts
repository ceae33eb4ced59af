/** SSH through the sidecar. */
import type { Env } from "./bindings.ts";
import { secretsFromEnv } from "./secrets.ts";
import { sidecarFromEnv } from "./sidecar.ts";
import { readEgressAllow } from "./egress.ts";
import { openSsh } from "../ssh/ssh.ts";
import type { SshPort } from "../../core/ports/ssh.ts";
import type { SecretUser } from "../../core/secrets/secret-use.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** SSH for one tenant's commands, with the secrets of `user`. */
export function sshFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">, user: SecretUser): SshPort {
  const [sidecar, allow] = [sidecarFromEnv(env), readEgressAllow(env)];
  return openSsh({ sidecar, allow, tenant, secrets: secretsFromEnv(env, tenant, user) });
}
