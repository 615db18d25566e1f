// What `npm run redrive` can send again: one of these for each kind of thing that is given up.
// It holds a type and nothing else.

/** One source. Both give the lines that a person reads, and throw an Error in words for people. */
export type RedriveSource = {
  /** Shows what waits and names the plan; it changes nothing. */
  dryRun(environment: NodeJS.ProcessEnv, stage: boolean): Promise<string[]>;
  /** Executes the plan with this name, or finishes it, or says what it did. */
  run(environment: NodeJS.ProcessEnv, stage: boolean, plan: string): Promise<string[]>;
};
