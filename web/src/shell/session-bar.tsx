import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { sessionQuery, signInAgain, watchOtherWindows } from "../api/session.ts";
import { queryClient } from "../api/query-client.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { KeyForm } from "./key-form.tsx";

/**
 * Says that the session ended while the page stood open, and begins a new one above it: the page stays, with all that is
 * typed in it.
 */
export function SessionBar() {
  return useIsSessionOver() ? <SessionOver /> : null;
}

function SessionOver() {
  // Below a window that is open, the bar takes no press.
  const [isEntering, setEntering] = useState(() => document.querySelector("dialog[open]") !== null);
  return (
    <>
      <div role="alert" className="pointer-events-none fixed inset-x-0 bottom-0 z-40 flex justify-center">
        <p className="pointer-events-auto m-3 flex flex-wrap items-center justify-center gap-x-4 gap-y-2 rounded-lg border border-warn bg-warn-soft px-4 py-2 font-medium text-warn shadow-lg">
          Your session is over.
          <Button look="primary" size="small" onClick={() => setEntering(true)}>
            Sign in again
          </Button>
        </p>
      </div>
      <Dialog isOpen={isEntering} title="Sign in again" onClose={() => setEntering(false)}>
        <p>Your session is over. What you were writing stays as it is.</p>
        <KeyForm enter={signInAgain} onDone={() => setEntering(false)} />
      </Dialog>
    </>
  );
}

function useIsSessionOver(): boolean {
  const { data: session } = useQuery(sessionQuery);
  const isOver = useRef(false);
  useEffect(() => watchOtherWindows(() => void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })), []);
  useEffect(() => {
    if (session === null) isOver.current = true;
    if (session == null || !isOver.current) return;
    // Signed in again, here or in another window: what was refused meanwhile is read.
    isOver.current = false;
    void queryClient.invalidateQueries();
  }, [session]);
  return session === null;
}
