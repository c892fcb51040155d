SELECT provider FROM provider_pauses
