// Shows that every function may write its spans and is told where to, and that a stage without traces has nothing of it.
// It must never look at anything else of the functions.
import { functionNamed, resources, synthesizedPlan } from "./synthesized.ts";

test.each([["prod", { STAGE: "prod" }, "0.05"]])(
  "%s records a share of its traces, each function under its own account",
  (_title, variables, ratio) => {
    const { services } = synthesizedPlan(variables).stacks;
    const grants = resources(services, "google_project_iam_member").filter(
      ({ role }) => role === "roles/telemetry.tracesWriter",
    );
    const functions = resources(services, "google_cloudfunctions2_function");

    expect(new Set(grants.map(({ member }) => member)).size).toBe(functions.length);
    for (const { name } of functions) {
      expect(functionNamed(services, name)["service_config"].environment_variables).toMatchObject({
        TRACE_SAMPLE_RATIO: ratio,
        TRACE_COLLECTOR_URL: "https://telemetry.googleapis.com/v1/traces",
      });
    }
  },
);

test("a stage that records none has neither grants nor variables, and one that is no share is refused", () => {
  const { text } = synthesizedPlan({ TRACE_SAMPLE_RATIO: "0" }).stacks.services;

  expect(text).not.toMatch(/TRACE_|tracesWriter/);
  expect(() => synthesizedPlan({ TRACE_SAMPLE_RATIO: "1.5" })).toThrow("TRACE_SAMPLE_RATIO must be from 0 to 1");
});
