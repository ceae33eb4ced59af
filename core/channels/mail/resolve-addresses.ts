/** How a caller may write addresses of mail. */
import { z } from "zod";
import { failed, ok, type Result } from "../../base/errors.ts";

const ADDRESS = z.email().max(254);

/** Finds the addresses in a caller's words: one or more, comma separated. */
export function resolveAddresses(to: string): Result<readonly string[]> {
  const addresses = to.split(",").map((address) => address.trim());
  const wrong = addresses.find((address) => !ADDRESS.safeParse(address).success);
  if (wrong !== undefined) return failed("invalid_input", `"${wrong.slice(0, 100)}" is no address of mail`);
  return ok(addresses.map(withPlainDomain));
}

/** Domains are the same in any case; what stands before them may not be. */
function withPlainDomain(address: string): string {
  const sign = address.lastIndexOf("@");
  return `${address.slice(0, sign)}${address.slice(sign).toLowerCase()}`;
}
