/** Where a person gives consent, when that is an address of the web: it is a stranger's, and may be anything. */
export function consentAddress(address: string | null): URL | null {
  const target = address === null ? null : URL.parse(address);
  return target !== null && /^https?:$/.test(target.protocol) ? target : null;
}
