/**
 * The sample shop's style sheet and its only script, both served from its own origin, as its policy demands.
 * The script must never be what keeps an order from being placed twice: it only shows that one is on its way.
 */

/** Light and dark by the reader's choice; one column that fits a phone; targets of 44 px for fingers. */
export const shopStyle = `
:root { color-scheme: light dark; --ink: #1c1b1a; --paper: #fffdf9; --soft: #5b5650; --line: #8a8279; --accent: #0b5c3f; --on-accent: #ffffff; --bad: #a3130c; --card: #f4efe6; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #f1ece4; --paper: #171614; --soft: #b9b1a6; --line: #857d73; --accent: #7fd6af; --on-accent: #06281b; --bad: #ff9c94; --card: #24221f; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 1.0625rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
main { max-width: 34rem; margin: 0 auto; padding: 1.25rem 1rem 3rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; overflow-wrap: anywhere; }
a { color: var(--accent); }
fieldset { border: 1px solid var(--line); border-radius: .5rem; margin: 0 0 1rem; padding: .5rem 1rem; }
legend { font-weight: 600; padding: 0 .25rem; }
label { display: block; padding: .625rem 0; min-height: 2.75rem; }
label input[type="radio"] { width: 1.25rem; height: 1.25rem; vertical-align: -.2rem; margin: 0 .6rem 0 0; accent-color: var(--accent); }
select { display: block; font: inherit; width: 100%; min-height: 2.75rem; padding: .4rem .6rem; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .4rem; }
button, a.button { display: inline-block; font: inherit; font-weight: 600; min-height: 2.75rem; padding: .6rem 1.4rem; border: 0; border-radius: .5rem; color: var(--on-accent); background: var(--accent); cursor: pointer; text-decoration: none; }
button[disabled] { opacity: .65; cursor: progress; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; background: var(--card); border-radius: .5rem; padding: 1rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.state { font-weight: 600; border-left: .3rem solid var(--accent); padding: .1rem 0 .1rem .75rem; }
.state.bad, .fault { border-left: .3rem solid var(--bad); color: var(--bad); padding: .1rem 0 .1rem .75rem; }
.soft { color: var(--soft); font-size: .9375rem; }
`;

/** Shows that the order is on its way, and takes that back when the page is shown again by the back button. */
export const shopScript = `
"use strict";
for (const form of document.querySelectorAll("form")) {
  const button = form.querySelector("button");
  const words = button.textContent;
  form.addEventListener("submit", () => {
    button.disabled = true;
    button.textContent = "Paying\\u2026";
    form.setAttribute("aria-busy", "true");
  });
  addEventListener("pageshow", () => {
    button.disabled = false;
    button.textContent = words;
    form.removeAttribute("aria-busy");
  });
}
`;
