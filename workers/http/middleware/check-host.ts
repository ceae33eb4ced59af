/** Refuses a request for another host. In the cloud, the platform passes only the hosts of the Worker's routes. */
import type { MiddlewareHandler } from "hono";
import { isLocalFromEnv } from "../../../adapters/env/settings.ts";
import { publicUrlFromEnv } from "../../../adapters/env/deployment.ts";
import type { Failure } from "../../../core/base/errors.ts";
import { isOwnHost } from "../../../core/web/own-hosts.ts";
import type { AppEnv } from "../context.ts";
import { problemResponse } from "../problem.ts";

const OTHER_HOST: Failure = {
  code: "invalid_input",
  message: "Otto does not serve this host. Use localhost, or set OTTO_PUBLIC_URL to Otto's public address.",
  field: "host",
};

export const checkHost: MiddlewareHandler<AppEnv> = async function checkHost(c, next) {
  const host = c.req.header("host") ?? new URL(c.req.url).host;
  if (isLocalFromEnv(c.env) && !isOwnHost(host, publicUrlFromEnv(c.env)))
    return problemResponse(OTHER_HOST, c.get("requestId"), { status: 400 });
  await next();
  return undefined;
};
