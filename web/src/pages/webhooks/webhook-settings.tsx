/** Settings of a webhook, its secret, and its deletion. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Webhook } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { EditButtons, EditOvertaken } from "../../ui/edit-parts.tsx";
import { type Tagged, useEdit } from "../../ui/edit.ts";
import { ProblemNotice } from "../../ui/notice.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { settingOf, WebhookForm, type WebhookSetting } from "./webhook-form.tsx";
import { putWebhook, webhookQuery, webhooksQuery } from "./webhook-queries.ts";

export function WebhookSettings({ webhook }: { readonly webhook: Tagged<Webhook> }) {
  const { id, url } = webhook.body;
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <>
      <Section title="What it is set to">
        <Edit webhook={webhook} />
      </Section>
      <Secret webhook={webhook.body} />
      <Section title="Delete it">
        <DeleteButton
          name={url}
          action="Delete the webhook"
          remove={async () => await answered(api.DELETE("/v1/webhooks/{id}", { params: { path: { id } } }))}
          onDeleted={async () => {
            await navigate({ to: "/webhooks", search: {} });
            await queries.invalidateQueries({ queryKey: webhooksQuery.queryKey });
          }}
        >
          <p>What waits to be sent to it is given up, and its secret is forgotten.</p>
        </DeleteButton>
      </Section>
    </>
  );
}

function Edit({ webhook }: { readonly webhook: Tagged<Webhook> }) {
  const { id } = webhook.body;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const edit = useEdit({
    kind: "webhook",
    now: webhook,
    draftOf: settingOf,
    isSame,
    read: readSetting,
    put: async (body, header) => await putWebhook(id, body, header),
    onSaved: async () => {
      say("The webhook is saved.");
      await queries.invalidateQueries({ queryKey: ["webhooks"] });
    },
    leave: async () => await navigate({ to: "/webhooks/$webhookId", params: { webhookId: id } }),
    queryKey: webhookQuery(id).queryKey,
  });
  return (
    <>
      <EditOvertaken edit={edit} />
      <Card>
        <WebhookForm setting={edit.draft} set={edit.change} faults={edit.faults} onSubmit={edit.save}>
          <EditButtons edit={edit} />
        </WebhookForm>
      </Card>
    </>
  );
}

/** The form itself says what is wrong with no event. */
function readSetting(value: WebhookSetting) {
  return value.events.length > 0 ? ({ ok: true, value } as const) : ({ ok: false, faults: {} } as const);
}

function isSame(one: WebhookSetting, other: WebhookSetting): boolean {
  const text = ({ events, ...rest }: WebhookSetting) => JSON.stringify([{ ...rest }, events.toSorted()]);
  return text(one) === text(other);
}

function Secret({ webhook: { id, old_secret_until } }: { readonly webhook: Webhook }) {
  const queries = useQueryClient();
  const { headersFor, renew } = useRequestKey();
  const [isAsking, setAsking] = useState(false);
  const rotating = useMutation({
    mutationFn: async () =>
      await answered(api.POST("/v1/webhooks/{id}/rotate", { params: { path: { id } }, headers: headersFor(id) })),
    onSuccess: async () => {
      renew();
      setAsking(false);
      await queries.invalidateQueries({ queryKey: ["webhooks"] });
    },
  });
  return (
    <Section title="The secret">
      {rotating.isSuccess ? (
        <SecretOnce secret={rotating.data.secret} onDone={() => rotating.reset()}>
          The old one also signs for 24 hours, so that you can change it in your program.
        </SecretOnce>
      ) : (
        <>
          <p className="text-quiet">
            {old_secret_until === null ? (
              "It signs every request. Replace it when somebody may have seen it."
            ) : (
              <>
                A secret that was replaced signs too, until <ExactTime at={old_secret_until} />.
              </>
            )}
          </p>
          <Button
            className="self-start"
            icon={<KeyRound aria-hidden className="size-4" />}
            onClick={() => setAsking(true)}
          >
            Replace the secret
          </Button>
        </>
      )}
      <Confirm
        isOpen={isAsking}
        title="Replace the secret?"
        action="Replace it"
        isBusy={rotating.isPending}
        onConfirm={() => rotating.mutate()}
        onClose={() => setAsking(false)}
      >
        <p>A new one is made and shown once. For 24 hours the old one signs too: each request has both signatures.</p>
        {rotating.isError ? <ProblemNotice error={rotating.error} doing="Couldn't replace" /> : null}
      </Confirm>
    </Section>
  );
}
