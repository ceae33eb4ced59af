import { Link } from "@tanstack/react-router";
import { buttonClasses } from "../ui/button.tsx";
import { Empty } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";

export function NotFound() {
  return (
    <main>
      <Page title="Nothing here">
        <Empty
          title="Page not found"
          action={
            <Link to="/tasks" className={buttonClasses("primary")}>
              To the tasks
            </Link>
          }
        >
          The address may be mistyped, or the thing may have been erased.
        </Empty>
      </Page>
    </main>
  );
}
