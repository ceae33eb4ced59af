/** What helps with a first task: who answers, and an example that shows a question, a file and an answer. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { healthQuery } from "../../api/health.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";

const EXAMPLE = "Ask me which city I live in, then write a short note about it to notes/city.md and attach it.";

/** The model of a server without one: rules that drive the tools. */
const DEMO = "demo";

export function ExampleButton({ onUse }: { readonly onUse: (text: string) => void }) {
  return (
    <Button size="small" className="self-start" onClick={() => onUse(EXAMPLE)}>
      Use an example
    </Button>
  );
}

/** `model` is the one that the agent names; null: the server's default. */
export function DemoNotice({ model }: { readonly model: string | null }) {
  const { data } = useQuery(healthQuery);
  if (data?.model !== DEMO || model !== null) return null;
  return (
    <Notice title="The demo model answers">
      It follows simple rules and understands little. For a language model, start Otto with <code>OPENAI_API_KEY</code>{" "}
      or <code>ANTHROPIC_API_KEY</code>.{" "}
      <Link to="/system" className="text-accent underline">
        System
      </Link>{" "}
      shows the model.
    </Notice>
  );
}
