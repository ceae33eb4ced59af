/** What the form of an MCP server holds, and the request that it makes. */
import type { McpServer, paths } from "../../api/types.generated.ts";

export type ServerBody = paths["/v1/mcp-servers"]["post"]["requestBody"]["content"]["application/json"];

/** A header or a variable. */
export interface Pair {
  readonly name: string;
  readonly value: string;
}

export const SIGN_INS = ["headers", "consent", "client"] as const;

export interface ServerFields {
  readonly name: string;
  readonly kind: "url" | "process";
  readonly url: string;
  /** How Otto proves who it is: by headers if at all, by a person's consent (OAuth), by a client's secret (OAuth). */
  readonly signIn: (typeof SIGN_INS)[number];
  readonly headers: readonly Pair[];
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  /** With a person's consent: each person connects an account, instead of one for all. */
  readonly isPerPerson: boolean;
  readonly command: string;
  /** One on each line. */
  readonly args: string;
  readonly env: readonly Pair[];
  /** Hosts, one on each line. */
  readonly network: string;
  readonly isTrusted: boolean;
  readonly timeoutS: string;
}

const DEFAULT_TIMEOUT_S = 60;

export const EMPTY_SERVER: ServerFields = {
  name: "",
  kind: "url",
  url: "",
  signIn: "headers",
  headers: [],
  clientId: "",
  clientSecret: "",
  scope: "",
  isPerPerson: false,
  command: "",
  args: "",
  env: [],
  network: "",
  isTrusted: false,
  timeoutS: String(DEFAULT_TIMEOUT_S),
};

/** What is known of a server. The values of headers and variables, and a client's secret, no answer shows. */
export function fieldsOf(server: McpServer): ServerFields {
  const { oauth, process: program } = server;
  const signIn = oauth === null ? "headers" : oauth.grant === "client_credentials" ? "client" : "consent";
  return {
    name: server.name,
    kind: program === null ? "url" : "process",
    url: server.url ?? "",
    signIn,
    headers: server.headers.map((name) => ({ name, value: "" })),
    clientId: oauth?.client_id ?? "",
    clientSecret: "",
    scope: oauth?.scope ?? "",
    isPerPerson: isPerPerson(server),
    command: program?.command ?? "",
    args: program?.args.join("\n") ?? "",
    env: program?.env.map((name) => ({ name, value: "" })) ?? [],
    network: program?.network.join("\n") ?? "",
    isTrusted: server.trusted,
    timeoutS: String(server.timeout_ms / 1000),
  };
}

/** The request: of a server with an address, or of one that is a process. */
export function bodyOf(fields: ServerFields): ServerBody {
  const shared = {
    name: fields.name.trim(),
    trusted: fields.isTrusted,
    timeout_ms: Math.round(Number(fields.timeoutS) * 1000),
  };
  if (fields.kind === "process") {
    const args = fields.args.split("\n").filter((line) => line !== "");
    const network = fields.network.split(/[\s,]+/).filter((host) => host !== "");
    return { ...shared, type: "stdio", command: fields.command.trim(), args, env: toRecord(fields.env), network };
  }
  const headers = toRecord(fields.headers);
  return {
    ...shared,
    url: fields.url.trim(),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...oauthOf(fields),
  };
}

function oauthOf({
  signIn,
  clientId,
  clientSecret,
  scope,
  isPerPerson: isPersonal,
}: ServerFields): Pick<ServerBody, "oauth"> {
  if (signIn !== "consent" && signIn !== "client") return {};
  const given = { client_id: clientId.trim(), client_secret: clientSecret, scope: scope.trim() };
  const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  if (signIn === "client") return { oauth: { grant: "client_credentials", ...named } };
  return { oauth: { grant: "authorization_code", ...named, ...(isPersonal ? { per: "person" } : {}) } };
}

/** Whether each person connects an account of the server. */
export function isPerPerson({ oauth }: Pick<McpServer, "oauth">): boolean {
  return oauth?.per === "person";
}

/** The pairs that have a name. */
function toRecord(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(
    pairs.filter(({ name }) => name.trim() !== "").map(({ name, value }) => [name.trim(), value]),
  );
}

/** What is wrong with the fields of a part, such as `headers.X-Key`. */
export function faultOf(faults: Readonly<Record<string, string>>, part: string): string | undefined {
  const found = Object.entries(faults).find(([field]) => field === part || field.startsWith(`${part}.`));
  if (found === undefined) return undefined;
  const [field, message] = found;
  return field === part ? message : `${field.slice(part.length + 1)}: ${message}`;
}

/** The fields that the form shows a fault at. */
const PLACED = ["name", "url", "headers", "oauth", "command", "args", "env", "network", "timeout_ms"];

/** True when every fault has its place in the form. */
export function isPlaced(faults: Readonly<Record<string, string>>): boolean {
  const fields = Object.keys(faults);
  return fields.length > 0 && fields.every((field) => PLACED.includes(field.split(".")[0] ?? ""));
}
