// Reads the parts of a mail's source that a page shows: headers, and the text or HTML of a multipart body.
// It must never be used for mails of others: it knows what this project's mailer writes, and nothing more.

/** The value of a header, unfolded; empty when there is none. */
export function headerIn(source: string, name: string): string {
  const [head = ""] = source.split(/\r?\n\r?\n/, 1);
  const line = new RegExp(`^${name}:[ \\t]*(.*(?:\\r?\\n[ \\t].*)*)`, "im").exec(head)?.[1] ?? "";
  return decodedWords(line.replace(/\r?\n[ \t]+/g, " "));
}

/** The part with this type, decoded; the whole source when it has no such part. */
export function partIn(source: string, type: "text/plain" | "text/html"): string {
  const boundary = /boundary="?([^";\r\n]+)"?/i.exec(source)?.[1];
  const parts = boundary === undefined ? [source] : source.split(`--${boundary}`);
  const part = parts.find((candidate) => headerIn(candidate.trimStart(), "content-type").startsWith(type));
  if (part === undefined) return source;
  const whole = part.trimStart();
  const body = whole.slice(whole.search(/\r?\n\r?\n/)).replace(/^\r?\n\r?\n/, "");
  return decoded(body, headerIn(whole, "content-transfer-encoding").toLowerCase());
}

function decoded(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  if (encoding === "quoted-printable") return fromQuotedPrintable(body.replace(/=\r?\n/g, ""));
  return body;
}

function fromQuotedPrintable(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** `=?UTF-8?Q?Z=C3=BC?=` and its base64 form. */
function decodedWords(text: string): string {
  return text.replace(/=\?utf-8\?([bq])\?([^?]*)\?=(?:[ \t]+(?==\?))?/gi, (_match, form: string, word: string) =>
    form.toLowerCase() === "b"
      ? Buffer.from(word, "base64").toString("utf8")
      : fromQuotedPrintable(word.replaceAll("_", " ")),
  );
}
