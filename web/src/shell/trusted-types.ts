/**
 * The page's policy has browsers refuse text that would become HTML or script (`require-trusted-types-for`,
 * https://w3c.github.io/trusted-types/). React needs none of it. What is let through is the address of a worker out of our own
 * build, as the reader of PDF starts one.
 */

interface TrustedTypes {
  createPolicy(name: string, rules: { readonly createScriptURL: (url: string) => string }): unknown;
}

/** Throws for any other address, and the worker is not started. */
function ownScript(url: string): string {
  const { origin, pathname, href } = new URL(url, window.location.href);
  if (origin !== window.location.origin || !pathname.startsWith("/assets/"))
    throw new TypeError("only scripts of the console's build are run");
  return href;
}

/** Browsers that do not know it run without. The default policy is asked wherever no other was. */
export function trustOwnScripts(): void {
  const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy("default", { createScriptURL: ownScript });
}
