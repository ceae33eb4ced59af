import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { useDraft } from "../../ui/draft.ts";
import { ProblemNotice } from "../../ui/notice.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { NEW_WEBHOOK, WebhookForm, type WebhookSetting } from "./webhook-form.tsx";

export function NewWebhook() {
  const [setting, setSetting, forget] = useDraft<WebhookSetting>("webhook new", NEW_WEBHOOK);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { headersFor } = useRequestKey();
  const making = useMutation({
    mutationFn: async (body: WebhookSetting) =>
      await answered(api.POST("/v1/webhooks", { body, headers: headersFor(body) })),
    onSuccess: async () => {
      forget();
      await queries.invalidateQueries({ queryKey: ["webhooks", "list"] });
    },
  });
  if (making.isSuccess) {
    const { id, secret } = making.data;
    return (
      <SecretOnce
        secret={secret}
        onDone={() => void navigate({ to: "/webhooks/$webhookId", params: { webhookId: id } })}
      >
        Your program verifies by it that a request comes from this Otto.
      </SecretOnce>
    );
  }
  const faults = making.isError ? toApiError(making.error).fields : {};
  const canSend = setting.events.length > 0;
  return (
    <WebhookForm
      setting={setting}
      set={(change) => setSetting({ ...setting, ...change })}
      faults={faults}
      onSubmit={() => canSend && !making.isPending && making.mutate(setting)}
    >
      {making.isError && Object.keys(faults).length === 0 ? (
        <ProblemNotice error={making.error} doing="Couldn't create" />
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" isBusy={making.isPending} disabled={!canSend}>
          Create webhook
        </Button>
        <Link to="/webhooks" className={buttonClasses("quiet")}>
          Cancel
        </Link>
      </div>
    </WebhookForm>
  );
}
