/** Has what was given up tried again. What it did before is named by its id, so that nothing happens twice. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useRequestKey } from "../api/request-key.ts";
import { Button } from "../ui/button.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { useToast } from "../ui/toast.tsx";

interface TryAgainProps {
  readonly queryKey: readonly string[];
  readonly again: (headers: Readonly<Record<string, string>>) => Promise<unknown>;
}

export function TryAgain({ queryKey, again }: TryAgainProps) {
  const queries = useQueryClient();
  const say = useToast();
  const { headersFor, renew } = useRequestKey();
  const trying = useMutation({
    mutationFn: async () => await again(headersFor("again")),
    onSuccess: async () => {
      renew();
      say("It is tried again.");
      await queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <>
      <Button
        size="small"
        icon={<RotateCw aria-hidden className="size-4" />}
        isBusy={trying.isPending}
        onClick={() => trying.mutate()}
      >
        Try again
      </Button>
      {trying.isError ? <ProblemNotice error={trying.error} doing="Couldn't retry" /> : null}
    </>
  );
}
