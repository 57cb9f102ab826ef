// Names the controls that Swagger UI leaves without a label, for screen readers.

/** Names each control below an element that needs it, and those that appear there later. */
function labelControls(element) {
  new MutationObserver(() => {
    for (const control of element.querySelectorAll('select, textarea, input')) {
      if (control.labels?.length === 0 && !control.ariaLabel) control.ariaLabel = toLabel(control);
    }
    for (const button of element.querySelectorAll('button')) {
      if (button.textContent === '') button.ariaLabel ??= button.matches('.close-modal') ? 'Close' : toLabel(button);
      // Who speaks to the browser says the text that is there (WCAG 2.2, success criterion 2.5.3).
      else if (!button.ariaLabel?.includes(button.textContent.trim())) button.ariaLabel = null;
    }
  }).observe(element, { childList: true, subtree: true });
}

function toLabel(control) {
  if (control.matches('.examples-select-element')) return 'Example';
  if (control.matches('.body-param__text')) return 'Request body';
  const row = control.closest('tr');
  return row?.dataset.paramName ?? row?.dataset.propertyName ?? row?.cells[0].innerText ?? control.title;
}
