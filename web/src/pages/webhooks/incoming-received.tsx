import { Link } from "@tanstack/react-router";
import { answered, api } from "../../api/client.ts";
import { ReceivedList } from "../../received/received-list.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { Empty } from "../../ui/notice.tsx";

export function IncomingReceived({ id }: { readonly id: string }) {
  return (
    <ReceivedList
      queryKey={["incoming-webhooks", "received", id]}
      read={async (cursor) =>
        await answered(api.GET("/v1/incoming-webhooks/{id}/received", { params: { path: { id }, query: { cursor } } }))
      }
      again={async (message, headers) =>
        await answered(
          api.POST("/v1/incoming-webhooks/{id}/received/{message}/replay", {
            params: { path: { id, message } },
            headers,
          }),
        )
      }
      caption="What came in"
      empty={
        <Empty
          title="No calls yet"
          action={
            <Link
              to="/webhooks/incoming/$webhookId"
              params={{ webhookId: id }}
              search={{ view: "call" }}
              className={buttonClasses("primary")}
            >
              How to call it
            </Link>
          }
        >
          Calls of the last 30 days appear here, with their task or the reason why they have none.
        </Empty>
      }
    />
  );
}
