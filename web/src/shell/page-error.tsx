import { useRouter } from "@tanstack/react-router";
import { ApiError } from "../api/problem.ts";
import { Button } from "../ui/button.tsx";
import { Notice, ProblemNotice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";

/**
 * Replaces a page that cannot be rendered. An error that is not the API's is a fault of the page, or a file that an update
 * removed from the server while the page was open.
 */
export function PageError({ error }: { readonly error: unknown }) {
  const router = useRouter();
  return (
    <Page title="Couldn't show this page">
      {error instanceof ApiError ? (
        <ProblemNotice error={error} onRetry={() => void router.invalidate()} />
      ) : (
        <Notice
          tone="danger"
          title="Something in the page itself went wrong"
          action={
            <Button size="small" onClick={() => window.location.reload()}>
              Reload
            </Button>
          }
        >
          Otto may have been updated since you opened it. What you typed in larger forms is kept.
        </Notice>
      )}
    </Page>
  );
}
