/** Settings of an incoming webhook, and its deletion. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answered, answeredWithTag, api } from "../../api/client.ts";
import type { IncomingWebhook } from "../../api/types.generated.ts";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { EditButtons, EditOvertaken } from "../../ui/edit-parts.tsx";
import { type Tagged, useEdit } from "../../ui/edit.ts";
import { Notice } from "../../ui/notice.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { draftOfIncoming, type IncomingDraft, readIncoming } from "./incoming-draft.ts";
import { IncomingForm } from "./incoming-form.tsx";
import { incomingQuery } from "./webhook-queries.ts";

const LIST = ["incoming-webhooks", "list"];

export function IncomingSettings({ hook }: { readonly hook: Tagged<IncomingWebhook> }) {
  const { id, name } = hook.body;
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <>
      <Section title="Settings">
        <Edit hook={hook} />
      </Section>
      <Section title="Delete">
        <DeleteButton
          name={name}
          action="Delete incoming webhook"
          remove={async () => await answered(api.DELETE("/v1/incoming-webhooks/{id}", { params: { path: { id } } }))}
          onDeleted={async () => {
            await navigate({ to: "/webhooks", search: { view: "incoming" } });
            await queries.invalidateQueries({ queryKey: LIST });
          }}
        >
          <p>Waiting calls create no tasks, and received calls are deleted. Tasks continue.</p>
        </DeleteButton>
      </Section>
    </>
  );
}

function Edit({ hook }: { readonly hook: Tagged<IncomingWebhook> }) {
  const { id } = hook.body;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const [secret, setSecret] = useState("");
  const [oldSeconds, setOldSeconds] = useState("86400");
  const edit = useEdit({
    kind: "incoming webhook",
    now: hook,
    draftOf: draftOfIncoming,
    unkept: { isTyped: secret !== "", forget: () => setSecret("") },
    read: (draft: IncomingDraft) => {
      const read = readIncoming(draft, secret, oldSeconds);
      return read.ok ? { ok: true, value: read.request } : read;
    },
    put: async (body, header) =>
      await answeredWithTag(api.PUT("/v1/incoming-webhooks/{id}", { params: { path: { id }, header }, body })),
    onSaved: async ({ name, acts_for }) => {
      const hasEnded = hook.body.acts_for !== null && acts_for === null;
      say(hasEnded ? `“${name}” is saved. It acts for nobody now.` : `“${name}” is saved. It counts at once.`);
      await queries.invalidateQueries({ queryKey: ["incoming-webhooks"] });
    },
    leave: async () => await navigate({ to: "/webhooks/incoming/$webhookId", params: { webhookId: id } }),
    queryKey: incomingQuery(id).queryKey,
  });
  return (
    <>
      <EditOvertaken edit={edit} />
      <OldSecret until={hook.body.old_secret_until} />
      <Card>
        <IncomingForm
          draft={edit.draft}
          secret={secret}
          isNew={false}
          set={edit.change}
          setSecret={setSecret}
          oldSeconds={oldSeconds}
          setOldSeconds={setOldSeconds}
          person={hook.body.acts_for}
          faults={edit.faults}
          onSubmit={edit.save}
        >
          <EditButtons edit={edit} />
        </IncomingForm>
      </Card>
    </>
  );
}

function OldSecret({ until }: { readonly until: string | null }) {
  if (until === null) return null;
  return (
    <Notice title="Two secrets count">
      <p>
        Calls signed with the secret that was replaced are taken too, until <ExactTime at={until} />. Has the sender the
        new one?
      </p>
    </Notice>
  );
}
