import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { NewIncomingWebhook } from "../../api/types.generated.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { useDraft } from "../../ui/draft.ts";
import { ProblemNotice } from "../../ui/notice.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { useToast } from "../../ui/toast.tsx";
import { type IncomingDraft, type IncomingRequest, NEW_INCOMING, readIncoming } from "./incoming-draft.ts";
import { IncomingForm } from "./incoming-form.tsx";

export function NewIncoming() {
  const [draft, setDraft, forget] = useDraft<IncomingDraft>("incoming webhook new", NEW_INCOMING);
  const [secret, setSecret] = useState("");
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const queries = useQueryClient();
  const open = useOpen();
  const { headersFor } = useRequestKey();
  const making = useMutation({
    mutationFn: async (body: IncomingRequest) =>
      await answered(api.POST("/v1/incoming-webhooks", { body, headers: headersFor(body) })),
    onSuccess: async (made) => {
      forget();
      if (!isShown(made)) await open(made);
      await queries.invalidateQueries({ queryKey: ["incoming-webhooks", "list"] });
    },
  });
  if (making.isSuccess && isShown(making.data))
    return (
      <>
        <p>Send calls to this address. The page of this webhook shows it too.</p>
        <CodeBlock text={making.data.url} label="the address" />
        <SecretOnce secret={making.data.secret} onDone={() => void open(making.data)}>
          Callers sign with it.
        </SecretOnce>
      </>
    );
  const refused = making.isError ? toApiError(making.error).fields : {};
  const submit = (): void => {
    if (making.isPending) return;
    const read = readIncoming(draft, secret, null);
    setFaults(read.ok ? {} : read.faults);
    if (read.ok) making.mutate(read.request);
  };
  return (
    <IncomingForm
      draft={draft}
      secret={secret}
      oldSeconds={null}
      person={null}
      setOldSeconds={() => undefined}
      isNew
      set={(change) => setDraft({ ...draft, ...change })}
      setSecret={setSecret}
      faults={{ ...refused, ...faults }}
      onSubmit={submit}
    >
      {making.isError ? <ProblemNotice error={making.error} doing="Couldn't create" /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" isBusy={making.isPending}>
          Create incoming webhook
        </Button>
        <Link to="/webhooks" search={{ view: "incoming" }} className={buttonClasses("quiet")}>
          Cancel
        </Link>
      </div>
    </IncomingForm>
  );
}

/** Whether there is a secret to hand over. Stripe signs by its own: one that was made for it is of no use to anybody. */
function isShown(made: NewIncomingWebhook): made is NewIncomingWebhook & { readonly secret: string } {
  return made.secret !== null && made.type !== "stripe";
}

function useOpen(): (made: NewIncomingWebhook) => Promise<void> {
  const navigate = useNavigate();
  const say = useToast();
  return async ({ id, name }) => {
    say(`“${name}” may be called.`);
    await navigate({ to: "/webhooks/incoming/$webhookId", params: { webhookId: id }, search: { view: "call" } });
  };
}
