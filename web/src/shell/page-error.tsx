import { useRouter } from "@tanstack/react-router";
import { ApiError } from "../api/problem.ts";
import { Button } from "../ui/button.tsx";
import { Notice, ProblemNotice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";

/**
 * In place of a page that cannot be shown. An error that is none of the API's is a fault of the page, or a part of it that is not
 * on the server any more because Otto was updated while the page stood open.
 */
export function PageError({ error }: { readonly error: unknown }) {
  const router = useRouter();
  return (
    <Page title="This page cannot be shown">
      {error instanceof ApiError ? (
        <ProblemNotice error={error} onRetry={() => void router.invalidate()} />
      ) : (
        <Notice
          tone="danger"
          title="Something in the page itself went wrong"
          action={
            <Button size="small" onClick={() => window.location.reload()}>
              Load the page anew
            </Button>
          }
        >
          Otto may have been updated since you opened it. What you typed in larger forms is kept.
        </Notice>
      )}
    </Page>
  );
}
