/** The console: mounts the router in the page. */
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { options } from "preact";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query-client.ts";
import { router } from "./router.tsx";
import { trustOwnScripts } from "./shell/trusted-types.ts";
import "./styles.css";

// Before the next key or click, as what a mutation sends is set in an effect. Preact would wait for the next frame.
options.requestAnimationFrame = queueMicrotask;
trustOwnScripts();
const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
