/** The lines that a start ends with. */
import { expect, test } from "vitest";
import { formatGreeting } from "../../../scripts/supervisor/greeting.ts";

const ADDRESS = {
  url: "http://localhost:8787",
  key: "otto_key",
  consoleUrl: "http://localhost:8787/sign-in#token",
  keyFile: "/srv/otto/.otto/dev-key",
};

const greet = (env: NodeJS.ProcessEnv) => formatGreeting(ADDRESS, env, "/srv/otto");

test("name each address and key with its use", () => {
  const text = greet({ OPENAI_API_KEY: "sk-canary" });
  expect(text).toContain("Otto is ready on http://localhost:8787\n");
  expect(text).toContain("  console  http://localhost:8787/sign-in#token\n           signs your browser in");
  expect(text).toContain("  key      otto_key\n           for the API, and to sign in later; also in .otto/dev-key\n");
  expect(text).toContain("  API      http://localhost:8787/docs\n");
  expect(text).toContain("  model    gpt-5-mini at OpenAI\n");
  expect(text).not.toContain("npm start");
  expect(text).not.toContain("sk-canary");
});

test("say how to set a model while the demo model answers", () => {
  const text = greet({});
  expect(text).toContain("  model    demo: ");
  expect(text).toContain("  OPENAI_API_KEY=… npm start");
  expect(text).toContain("  ANTHROPIC_API_KEY=… OTTO_MODEL=anthropic/<model> npm start");
});

test("say what is missing when a provider is set and no model of it is named", () => {
  const text = greet({ ANTHROPIC_API_KEY: "sk-canary" });
  expect(text).toContain("  model    demo: ");
  expect(text).toContain("Anthropic is set, but no model of it. Name one: OTTO_MODEL=anthropic/<model> npm start");
  expect(text).not.toContain("sk-canary");
});

test("name the server of a model that is not its provider's own", () => {
  const text = greet({ OPENAI_BASE_URL: "http://127.0.0.1:9/v1", OTTO_MODEL: "tiny" });
  expect(text).toContain("  model    tiny at http://127.0.0.1:9/v1\n");
});
