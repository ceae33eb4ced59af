/** Signing in: with a key, or by a one-time link. Its token is in the fragment (`#`), which reaches no server's log. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { toApiError } from "../../api/problem.ts";
import { sessionQuery, signIn } from "../../api/session.ts";
import { KeyForm } from "../../shell/key-form.tsx";
import { Button } from "../../ui/button.tsx";
import { Name } from "../../ui/name.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { Card, Page } from "../../ui/page.tsx";

export function SignInPage() {
  const { next } = useSearch({ from: "/sign-in" });
  const router = useRouter();
  const goOn = (): void => router.history.replace(next ?? "/tasks");
  const entering = useMutation({
    mutationFn: async (link: string) => await signIn({ link }),
    onSuccess: goOn,
  });
  useLinkOnce((link) => entering.mutate(link));
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center">
      <Page title="Sign in to Otto" lead="See and steer your agents: what they do, what they ask, what they cost.">
        <Card>
          <KeyForm enter={signIn} onDone={goOn} />
        </Card>
        {entering.isError ? <LinkTrouble error={entering.error} onGoOn={goOn} /> : null}
        <p className="text-sm text-quiet">
          This browser stores only a cookie that expires and that no script can read.
        </p>
      </Page>
    </main>
  );
}

/** A link works once: who opens it again is often signed in still. */
function LinkTrouble({ error, onGoOn }: { readonly error: unknown; readonly onGoOn: () => void }) {
  const { data: session } = useQuery(sessionQuery);
  if (toApiError(error).isPassing) return <ProblemNotice error={error} doing="Couldn't sign you in" />;
  return (
    <Notice
      tone="danger"
      title="The link did not sign you in"
      action={
        session == null ? undefined : (
          <Button size="small" onClick={onGoOn}>
            Go on as you are
          </Button>
        )
      }
    >
      Works once, within 15 minutes. Copy the whole link.{" "}
      {session == null ? (
        "Sign in with a key, or have another link made: each start of Otto prints one, and the page of keys makes them."
      ) : (
        <>
          But you are signed in already: to <Name>{session.tenant.name}</Name>, with the key{" "}
          <Name>{session.key.name}</Name>.
        </>
      )}
    </Notice>
  );
}

/** Hands over the token of a one-time link, once, and takes it out of the address and of the history. */
function useLinkOnce(use: (link: string) => void): void {
  const isUsed = useRef(false);
  useEffect(() => {
    const link = window.location.hash.slice(1);
    if (link === "" || isUsed.current) return;
    isUsed.current = true;
    window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
    use(link);
  });
}
