/** Time zones by the name of a city, from the runtime's own table. */

/** The IANA zone that a text names: the zone itself, or the city that one is named after. Null when there is none. */
export function zoneOf(place: string): string | null {
  const wanted = place.trim().replaceAll(/\s+/g, "_").toLowerCase();
  if (wanted === "utc" || wanted === "gmt") return "UTC";
  for (const zone of Intl.supportedValuesOf("timeZone")) {
    const lower = zone.toLowerCase();
    if (lower === wanted || lower.endsWith(`/${wanted}`)) return zone;
  }
  return null;
}
