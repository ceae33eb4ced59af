/** Whether anybody who is signed in looks at this window. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { sessionQuery } from "./session.ts";

/** A hidden window closes its streams after this time: a browser opens at most six connections to a server. */
const HIDDEN_MS = 20_000;

/** False once the window has been hidden for a while, and while there is no session. */
export function useIsSeen(): boolean {
  const isOver = useQuery(sessionQuery).data === null;
  const [isSeen, setSeen] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") setSeen(true);
      else timer = setTimeout(() => setSeen(false), HIDDEN_MS);
    };
    // A tab that was opened in the background was never seen.
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return isSeen && !isOver;
}
