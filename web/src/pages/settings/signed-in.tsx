/** The browsers that are signed in, and the way to sign them out from here. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import { signOut } from "../../api/session.ts";
import type { SignedIn } from "../../api/types.generated.ts";
import { count } from "../../ui/amounts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty, ProblemNotice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { oneLine } from "../../ui/visible-text.ts";
import { browserInWords } from "./browser-words.ts";
import { Name } from "../../ui/name.tsx";

/** Characters of the browser's own words. */
const MAX_WORDS = 160;

/** `isAdmin`: it shows everybody of the tenant, and else the sessions of one's own key. */
export function WhoIsSignedIn({ isAdmin }: { readonly isAdmin: boolean }) {
  const list = usePaged<SignedIn>(
    ["sessions"],
    async (cursor) => await answered(api.GET("/v1/sessions", { params: { query: { cursor } } })),
  );
  const [ending, setEnding] = useState<SignedIn | null>(null);
  const [isEndingOthers, setEndingOthers] = useState(false);
  const columns: readonly Column<SignedIn>[] = [
    { title: "Browser", isMain: true, cell: (session) => <Browser session={session} /> },
    { title: "Key", cell: ({ key }) => <Name className="block sm:min-w-32">{key.name}</Name> },
    { title: "Signed in", cell: ({ created_at }) => <Time at={created_at} /> },
    { title: "Last used", cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { title: "Ends", cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      title: "Actions",
      cell: (session) => (
        <Button
          size="small"
          look="danger"
          onClick={() => setEnding(session)}
          aria-label={`Sign out ${session.is_current ? "this browser" : formatBrowser(session)}`}
        >
          Sign out
        </Button>
      ),
    },
  ];
  const hasOthers = list.rows.some(({ is_current }) => !is_current);
  return (
    <Section
      title="Who is signed in"
      actions={
        // Always there: one that came with the list would move it.
        <Button
          icon={<LogOut aria-hidden className="size-4" />}
          disabled={!hasOthers}
          onClick={() => setEndingOthers(true)}
        >
          Sign out all others
        </Button>
      }
    >
      <p className="max-w-prose text-quiet">
        {isAdmin
          ? "Every browser that is signed in to this tenant. A session ends after twelve hours."
          : "The browsers that are signed in with your key. A session ends after twelve hours."}
      </p>
      <Listing list={list} empty={<Empty title="Nobody is signed in" />}>
        <Table caption="Browsers that are signed in" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
      </Listing>
      <EndSession session={ending} onClose={() => setEnding(null)} />
      <EndOthers isOpen={isEndingOthers} isAdmin={isAdmin} onClose={() => setEndingOthers(false)} />
    </Section>
  );
}

function formatBrowser({ user_agent }: SignedIn): string {
  return browserInWords(user_agent) ?? (user_agent === "" ? "an unnamed browser" : oneLine(user_agent, 40));
}

function Browser({ session }: { readonly session: SignedIn }) {
  const { user_agent, is_current } = session;
  const words = browserInWords(user_agent);
  return (
    <>
      <span className="font-medium">{words ?? "Unknown"}</span>{" "}
      {is_current ? <Badge tone="accent">This browser</Badge> : null}
      <bdi className="line-clamp-2 text-xs text-quiet [overflow-wrap:anywhere]">
        {user_agent === "" ? "It did not name itself." : oneLine(user_agent, MAX_WORDS)}
      </bdi>
    </>
  );
}

function EndSession({ session, onClose }: { readonly session: SignedIn | null; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const isOwn = session?.is_current === true;
  const ending = useMutation({
    mutationFn: async (one: SignedIn) =>
      one.is_current
        ? await signOut()
        : await answered(api.DELETE("/v1/sessions/{id}", { params: { path: { id: one.id } } })),
    onSuccess: async (_, one) => {
      onClose();
      if (one.is_current) {
        await navigate({ to: "/sign-in" });
        return;
      }
      say("The browser is signed out.");
      await queries.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  return (
    <Confirm
      isOpen={session !== null}
      title={isOwn ? "Sign out here?" : `Sign out ${session === null ? "" : formatBrowser(session)}?`}
      action="Sign it out"
      isBusy={ending.isPending}
      onConfirm={() => session !== null && ending.mutate(session)}
      onClose={onClose}
    >
      <p>
        {isOwn
          ? "You are in this browser now. To come back you need a key or a sign-in link."
          : "Its user has to sign in again, with a key or a sign-in link. The key stays valid."}
      </p>
      {ending.isError ? <ProblemNotice error={ending.error} doing="Couldn't sign out" /> : null}
    </Confirm>
  );
}

function EndOthers({
  isOpen,
  isAdmin,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly isAdmin: boolean;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const say = useToast();
  const ending = useMutation({
    mutationFn: async () => await answered(api.DELETE("/v1/sessions")),
    onSuccess: async ({ ended }) => {
      onClose();
      say(ended === 1 ? "One browser is signed out." : `${count(ended)} browsers are signed out.`);
      await queries.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  return (
    <Confirm
      isOpen={isOpen}
      title="Sign out all others?"
      action="Sign them out"
      isBusy={ending.isPending}
      onConfirm={() => ending.mutate()}
      onClose={onClose}
    >
      <p>
        {isAdmin
          ? "Everybody in this tenant is signed out, in every browser but this one, and has to sign in again."
          : "Every other browser that is signed in with your key has to sign in again."}{" "}
        Keys stay good: revoke one that somebody else may have.
      </p>
      {ending.isError ? <ProblemNotice error={ending.error} doing="Couldn't sign out" /> : null}
    </Confirm>
  );
}
