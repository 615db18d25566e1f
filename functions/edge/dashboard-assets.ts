/**
 * The dashboard's only script, served from its own origin, as its policy demands.
 * It must never be needed to read or to send anything: without it times are in UTC, and buttons do not say that they are busy.
 */

/** Times in the reader's zone, a word while a page is on its way, and one press for one form. */
export const dashboardScript = `
"use strict";
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const shown = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const precise = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });
for (const time of document.querySelectorAll("time[datetime]")) {
  const at = new Date(time.dateTime);
  if (Number.isNaN(at.getTime())) continue;
  time.title = time.textContent;
  time.textContent = (time.dataset.precise === undefined ? shown : precise).format(at);
}
const note = document.getElementById("zone");
if (note !== null) note.textContent = "Times are in " + zone + ".";

const busy = document.getElementById("busy");
const waiting = (text) => {
  busy.hidden = false;
  busy.textContent = text;
};
for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", () => {
    waiting("Working\\u2026");
    if (form.method !== "post") return;
    // After the form was read: a disabled button's own value would not be sent.
    for (const button of form.querySelectorAll("button")) setTimeout(() => (button.disabled = true));
  });
}
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) waiting("Loading\\u2026");
});
addEventListener("pageshow", () => {
  busy.hidden = true;
  for (const button of document.querySelectorAll("button")) button.disabled = false;
});
`;
