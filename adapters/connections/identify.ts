/** The account's name, from the `userinfo` endpoint of its provider (OpenID Connect Core, section 5.3). */
import type { FetchLike } from "@modelcontextprotocol/client";
import { z } from "zod";
import { cleanText } from "../../core/mcp/tool-list.ts";
import { readJson } from "./discover.ts";

const MAX_LABEL = 200;

const claim = z.string().nullish().catch(null);
const claimsSchema = z.object({
  email: claim,
  email_verified: z.union([z.boolean(), z.string()]).nullish().catch(null),
  preferred_username: claim,
  name: claim,
});

/** Null if the provider names none. Throws what `send` throws. */
export async function readLabel(userinfo: string, access: string, send: FetchLike): Promise<string | null> {
  const reply = await send(userinfo, { headers: { accept: "application/json", authorization: `Bearer ${access}` } });
  if (!reply.ok) return null;
  const claims = claimsSchema.safeParse(await readJson(reply));
  if (!claims.success) return null;
  const { email, email_verified: verified, preferred_username: username, name } = claims.data;
  // Anyone can enter a colleague's address that the provider has not verified.
  const named = verified === false || verified === "false" ? [username, name] : [email, username, name];
  for (const candidate of named) {
    const label = cleanText((candidate ?? "").replace(/\s+/g, " "), MAX_LABEL).trim();
    if (label !== "") return label;
  }
  return null;
}
