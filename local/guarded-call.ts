// A port's call behind the check of its right, for every kind of port.
// It must never run a call whose check throws.

/** Throws unless all of these permissions are held on the resource that it was made for. */
export type Must = (...permissions: string[]) => void;

/** The call behind its check; a refusal is a rejection, as a client's is. */
export function guarded<Parameters extends unknown[], Result>(
  check: () => void,
  call: (...parameters: Parameters) => Promise<Result>,
): (...parameters: Parameters) => Promise<Result> {
  return async (...parameters) => {
    check();
    return await call(...parameters);
  };
}
