/** A new HTTP tool of the tenant's own. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import { useRequestKey } from "../../api/request-key.ts";
import { useDraft } from "../../ui/draft.ts";
import { Page } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { DefinitionForm } from "./definition-form.tsx";
import { DEFINITION_START, type ToolDefinition } from "./tool-definition.ts";

export function NewToolPage() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const say = useToast();
  const { headersFor } = useRequestKey();
  const [text, setText, forget] = useDraft("tool new", JSON.stringify(DEFINITION_START, null, 2));
  const making = useMutation({
    mutationFn: async (body: ToolDefinition) =>
      await answered(api.POST("/v1/tools", { body, headers: headersFor(body) })),
    onSuccess: async ({ name }) => {
      forget();
      await client.invalidateQueries({ queryKey: ["tools"] });
      await navigate({ to: "/tools/$name", params: { name } });
      say(`${name} is made.`);
    },
  });
  return (
    <Page title="New HTTP tool" lead="One HTTP request with places for arguments, which your agents can make.">
      <DefinitionForm
        text={text}
        onText={setText}
        action="Create tool"
        isBusy={making.isPending}
        error={making.error}
        onSend={(definition) => making.mutate(definition)}
      />
    </Page>
  );
}
