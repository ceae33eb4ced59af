/** Sends a delivery that has ended once more, after asking: what may have arrived may arrive twice. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Delivery } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";

interface SendAgainProps {
  readonly delivery: Pick<Delivery, "id" | "state">;
  /** In a row of a list: small, and named by the delivery for screen readers. */
  readonly rowName?: string;
}

export function SendAgain({ delivery: { id, state }, rowName }: SendAgainProps) {
  const queries = useQueryClient();
  const say = useToast();
  const [isAsking, setAsking] = useState(false);
  const { headersFor, renew } = useRequestKey();
  const sending = useMutation({
    mutationFn: async () =>
      await answered(api.POST("/v1/deliveries/{id}/replay", { params: { path: { id } }, headers: headersFor(id) })),
    onSuccess: async () => {
      renew();
      setAsking(false);
      say("It is sent once more.");
      await queries.invalidateQueries({ queryKey: ["deliveries"] });
    },
  });
  return (
    <>
      <Button
        size={rowName === undefined ? "normal" : "small"}
        icon={<RotateCw aria-hidden className="size-4" />}
        aria-label={rowName === undefined ? undefined : `Send ${rowName} once more`}
        onClick={() => setAsking(true)}
      >
        {rowName === undefined ? "Send once more" : "Once more"}
      </Button>
      <Confirm
        isOpen={isAsking}
        title="Send it once more?"
        action="Send it"
        isBusy={sending.isPending}
        onConfirm={() => sending.mutate()}
        onClose={() => setAsking(false)}
      >
        <p>
          {state === "unknown"
            ? "It may have arrived already: look there first. A person would get it twice; a program that looks at the id would not."
            : "It goes under the same id, so that a receiver that has it already can tell."}
        </p>
        {sending.isError ? <ProblemNotice error={sending.error} doing="Couldn't send" /> : null}
      </Confirm>
    </>
  );
}
