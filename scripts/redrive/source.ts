// What `npm run redrive` can send again: one of these for each kind of thing that is given up.
// It holds a type and nothing else.

/** Where a source looks: what the shell has set, and what the command line said. */
export type RedrivePlace = {
  environment: NodeJS.ProcessEnv;
  /** The deployed stage instead of the laptop; only sources of the platform's own letters ask. */
  stage: boolean;
  /** Base URL of payments-api without a trailing slash, a key of it, and the token of a closed service; only a merchant's source asks. */
  url: string | undefined;
  key: string | undefined;
  identityToken: string | undefined;
};

/** One source. Both give the lines that a person reads, and throw an Error in words for people. */
export type RedriveSource = {
  /** Shows what waits and names the plan; it sends nothing. */
  dryRun(place: RedrivePlace): Promise<string[]>;
  /** Executes the plan with this name, or finishes it, or says what it did. */
  run(place: RedrivePlace, plan: string): Promise<string[]>;
};
