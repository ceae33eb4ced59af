/** Resolves the email addresses that a caller wrote. */
import { z } from "zod";
import { failed, ok, type Result } from "../../base/errors.ts";

const ADDRESS = z.email().max(254);

/** Parses one or more addresses, separated by commas. */
export function resolveAddresses(to: string): Result<readonly string[]> {
  const addresses = to.split(",").map((address) => address.trim());
  const wrong = addresses.find((address) => !ADDRESS.safeParse(address).success);
  if (wrong !== undefined) return failed("invalid_input", `"${wrong.slice(0, 100)}" is not an email address`);
  return ok(addresses.map(lowerDomain));
}

/** Domains ignore case; local parts may not. */
function lowerDomain(address: string): string {
  const sign = address.lastIndexOf("@");
  return `${address.slice(0, sign)}${address.slice(sign).toLowerCase()}`;
}
