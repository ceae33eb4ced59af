/** What is said of a person, in plain words. */
import type { Person } from "../../api/types.generated.ts";
import { daysInWords } from "../../ui/weekday-words.ts";

export function hoursInWords({ working_hours: hours }: Pick<Person, "working_hours">): string {
  return hours === null ? "At any time" : `${daysInWords(hours.days)}, ${hours.from}–${hours.to}`;
}

export function zoneInWords({ time_zone }: Pick<Person, "time_zone">): string {
  return time_zone.replaceAll("_", " ");
}

export function addressInWords(address: Person["addresses"][number]): string {
  return address.kind === "email" ? address.address : `Slack ${address.user}`;
}

export function rightsInWords({ may_answer, may_approve }: Pick<Person, "may_answer" | "may_approve">): string {
  if (may_approve) return "Answers and approves";
  return may_answer ? "Answers" : "Is only told";
}
