/** The console: mounts the router in the page. */
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { options } from "preact";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query-client.ts";
import { router } from "./router.tsx";
import { trustOwnScripts } from "./shell/trusted-types.ts";
import "./styles.css";

// Runs effects before the next event. React Query sets in an effect what a mutation sends; Preact would wait for the next frame.
options.requestAnimationFrame = queueMicrotask;
trustOwnScripts();
const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
createRoot(root).render(
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
