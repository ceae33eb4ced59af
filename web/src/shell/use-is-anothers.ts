import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Session, sessionQuery } from "../api/session.ts";

/** Whether the cookie of this window became another key's after the page was opened: what it shows is not that key's. */
export function useIsAnothers(): boolean {
  const { data: session = null } = useQuery(sessionQuery);
  const [first, setFirst] = useState<Session | null>(session);
  if (first === null && session !== null) setFirst(session);
  return first !== null && session !== null && !isSame(first, session);
}

function isSame(one: Session, other: Session): boolean {
  return one.key.id === other.key.id && one.tenant.id === other.tenant.id;
}
