// Names the controls that Swagger UI leaves without a label, for screen readers.

/** Sets `ariaLabel` of each control below an element that needs it, each time when controls appear or change there. */
function labelControls(element) {
  new MutationObserver(() => {
    for (const control of element.querySelectorAll('select, textarea, input')) {
      if (control.labels?.length === 0 && !control.ariaLabel) control.ariaLabel = findLabel(control);
    }
    for (const button of element.querySelectorAll('button')) {
      if (button.textContent === '') button.ariaLabel ??= button.matches('.close-modal') ? 'Close' : findLabel(button);
      // Speech input finds a button by the text on it, so remove a label without this text (WCAG 2.2, success criterion
      // 2.5.3).
      else if (!button.ariaLabel?.includes(button.textContent.trim())) button.ariaLabel = null;
    }
    // A table that is called a region is none for screen readers, and one landmark more for each operation.
    for (const table of element.querySelectorAll('table[role="region"]')) table.role = null;
  }).observe(element, { childList: true, subtree: true });
}

// The label of a control, as Swagger UI shows it: the name of the parameter or property in its row of a table, for most.
function findLabel(control) {
  if (control.matches('.examples-select-element')) return 'Example';
  if (control.matches('.body-param__text')) return 'Request body';
  const row = control.closest('tr');
  return row?.dataset.paramName ?? row?.dataset.propertyName ?? row?.cells[0].innerText ?? control.title;
}
