/**
 * A tenant's secret: a name, a value that no endpoint returns, the hosts that it may be sent to, and optionally the
 * agents that may use it and the methods of the requests that may carry it. Limits: values of 4 to 4,096 bytes, because
 * a shorter one cannot be distinguished from other text in a reply; 20 hosts; 50 agents; 100 secrets a tenant.
 */
import { z } from "zod";
import { normalizeHostPattern } from "../web/host-pattern.ts";
import { SECRET_METHODS } from "./secret-use.ts";
import { SECRET_NAME } from "../web/secret-references.ts";

export const MAX_SECRETS = 100;
const MIN_VALUE_BYTES = 4;
export const MAX_VALUE_BYTES = 4_096;
const MAX_HOSTS = 20;
const MAX_HOST_CHARACTERS = 260;
const MAX_AGENTS = 50;
const MAX_AGENT_CHARACTERS = 200;

export const secretNameSchema = z
  .string()
  .regex(SECRET_NAME, "1 to 64 capital letters, digits and _, the first one a letter");

const valueSchema = z.string().refine((value) => {
  const { length } = new TextEncoder().encode(value);
  return length >= MIN_VALUE_BYTES && length <= MAX_VALUE_BYTES;
}, `has to be ${MIN_VALUE_BYTES} to ${MAX_VALUE_BYTES} bytes`);

const hostSchema = z
  .string()
  .max(MAX_HOST_CHARACTERS)
  .transform((entry, context) => {
    const pattern = normalizeHostPattern(entry);
    if (pattern !== null) return pattern;
    context.addIssue({
      code: "custom",
      message: "has to be a host (api.example.com) or *.example.com, optionally with :port",
    });
    return z.NEVER;
  });

const methodSchema = z
  .string()
  .toUpperCase()
  .pipe(z.enum(SECRET_METHODS, `has to be one of ${SECRET_METHODS.join(", ")}`));

/**
 * The body that sets a secret. A changed binding requires the value too: otherwise a caller could bind a value that it
 * does not know to its own host.
 */
export const secretSettingSchema = z.strictObject({
  value: valueSchema.describe("Sealed at once and never returned."),
  hosts: z
    .array(hostSchema)
    .min(1)
    .max(MAX_HOSTS)
    .describe(
      "The hosts that may receive it: `api.example.com`, `*.example.com` for every name below, `:port` to bind it to one.",
    ),
  agents: z
    .array(z.string().min(1).max(MAX_AGENT_CHARACTERS))
    .min(1)
    .max(MAX_AGENTS)
    .optional()
    .describe(
      "The agents that may use it, by id or name; `agent_default` is the built-in one. When omitted, every agent that a person created may use it, and the built-in one except in tasks from hooks and mail.",
    ),
  methods: z
    .array(methodSchema)
    .min(1)
    .max(SECRET_METHODS.length)
    .transform((methods) => [...new Set(methods)])
    .optional()
    .describe(
      "The methods of the requests that may carry it, such as `GET`; all of them when omitted. With methods it is used in HTTP requests only, not for SSH and not by a program.",
    ),
});
